"""The package `lab.agents.chat_agent.toolsets.lab`."""
