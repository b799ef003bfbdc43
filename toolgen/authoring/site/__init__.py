"""The site of a project: static pages of its toolsets, tools, agents, action catalogs and policies."""
