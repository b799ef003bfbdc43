"""Sensitive files: what tools ask about before they read it, in addition to what a policy names.

The lists were compared with those of firejail (`disable-common.inc`), which hides such files from programs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_KEYS: Final = (
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "id_rsa", "id_dsa"),
    *("id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"),
)
_NAMES: Final = (*(".env", ".env.*", ".netrc", "_netrc", ".git-credentials", ".pgpass", ".pypirc", ".htpasswd"),)
_VAULTS: Final = (
    *("~/.ssh", "~/.gnupg", "~/.pki", "~/.password-store", "~/.local/share/keyrings", "~/.local/share/kwalletd"),
    *("~/.gnome2/keyrings", "~/.config/sops", "~/.config/age", "~/.config/op", "~/.config/Bitwarden"),
    *("~/.config/keybase", "~/Library/Keychains", "~/Library/Cookies", "~/.Xauthority"),
)
_CLOUDS: Final = (
    *("~/.aws", "~/.azure", "~/.config/gcloud", "~/.oci", "~/.kube", "~/.docker/config.json", "~/.boto"),
    *("~/.s3cfg", "~/.config/containers/auth.json", "~/.config/doctl", "~/.config/hcloud", "~/.config/rclone"),
    *("~/.fly", "~/.terraform.d", "~/.terraformrc", "~/.pulumi/credentials.json", "~/.vault-token"),
    *("~/.databrickscfg", "~/.snowflake", "~/.snowsql", "~/.dbt/profiles.yml", "~/.kaggle", "~/.config/ngrok"),
    *("~/.config/stripe",),
)
_SOURCES: Final = (
    *("~/.config/gh", "~/.config/hub", "~/.config/glab-cli", "~/.config/git/credentials"),
    *("~/.cache/git/credential", "~/.git-credential-cache", "~/.npmrc", "~/.yarnrc.yml", "~/.config/pip"),
    *("~/.pip", "~/.config/pypoetry/auth.toml", "~/.local/share/uv/credentials", "~/.cargo/credentials"),
    *("~/.cargo/credentials.toml", "~/.gem/credentials", "~/.composer/auth.json"),
    *("~/.config/composer/auth.json", "~/.m2/settings.xml", "~/.m2/settings-security.xml"),
    *("~/.gradle/gradle.properties", "~/.nuget/NuGet", "~/.circleci"),
)
_MODELS: Final = (
    *("~/.claude/.credentials.json", "~/.codex/auth.json", "~/.gemini/oauth_creds.json"),
    *("~/.config/github-copilot", "~/.cache/huggingface/token", "~/.cache/huggingface/stored_tokens"),
    *("~/.huggingface",),
)
_MAIL: Final = (
    *("~/.my.cnf", "~/.mylogin.cnf", "~/.smbcredentials", "~/.davfs2", "~/.msmtprc", "~/.fetchmailrc"),
    *("~/.authinfo", "~/.authinfo.gpg", "~/.thunderbird", "~/.config/filezilla", "~/.config/remmina"),
    *("~/.local/share/remmina",),
)
_BROWSERS: Final = (
    *("~/.mozilla", "~/.config/google-chrome", "~/.config/chromium", "~/.config/BraveSoftware"),
    *("~/.config/vivaldi", "~/.config/microsoft-edge", "~/.config/opera"),
    *("~/Library/Application Support/Google/Chrome", "~/Library/Application Support/Firefox"),
)
_HISTORIES: Final = (
    *(".*_history", "~/.histfile", "~/.zhistory", "~/.local/share/fish/fish_history"),
    *("~/.local/share/powershell/PSReadLine",),
)
_SYSTEM: Final = (
    *("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"),
    *("/etc/ssl/private", "/etc/ssh/ssh_host_*_key", "/etc/krb5.keytab", "/etc/wireguard", "/run/secrets"),
    *("/var/run/secrets", "/etc/NetworkManager/system-connections"),
)

SENSITIVE: Final = (
    *(*_KEYS, *_NAMES, *_VAULTS, *_CLOUDS, *_SOURCES, *_MODELS, *_MAIL, *_BROWSERS, *_HISTORIES, *_SYSTEM),
)
"""The files in which keys, passwords, tokens and what was typed are usually kept."""

_PROCESSES: Final = "/proc"
"""The memory and the environment of processes, including this one."""


def always_sensitive() -> Iterator[str]:
    """Yield the patterns of what is always sensitive, with those of processes and of what toolgen keeps for a user."""
    yield from SENSITIVE
    yield from (_PROCESSES, "~/.config/toolgen", "~/.cache/toolgen")
    for folder in (config_folder, cache_folder):
        try:
            yield str(folder())
        except RuntimeError:  # there is no home, and no such folder
            continue


def config_folder() -> Path:
    """Return the folder for what toolgen keeps for a user, such as logins. Raises RuntimeError without a home."""
    is_windows = sys.platform == "win32"
    given = os.environ.get("APPDATA" if is_windows else "XDG_CONFIG_HOME")
    return Path(given or Path.home() / ("AppData/Roaming" if is_windows else ".config")) / "toolgen"


def cache_folder() -> Path:
    """Return the folder for the secret of a user's caches. Raises RuntimeError without a home."""
    given = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(given) if given else Path.home() / ".cache") / "toolgen"


# Files that toolgen itself has in this process, wherever they are: stores, databases of runs, artifacts, tokens.

_COMPANIONS: Final = ("", "-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps beside a database."""

_private: Final[set[str]] = set()


def note_private(path: str | os.PathLike[str]) -> None:
    """Keep in mind that a file or folder is one of toolgen itself: from here on it is sensitive in this process."""
    real = os.path.realpath(path)
    _private.update(f"{real}{suffix}" for suffix in _COMPANIONS)


def is_private(path: str) -> bool:
    """Whether a resolved path is that of a file of toolgen itself, or below a folder of it."""
    while path:
        if path in _private:
            return True
        path = path.rpartition("/")[0]
    return False
