"""A client of Agentdex registries. `agentdex.openapi` has every operation, generated from the API."""

from .registry import Registry, RegistryError

__all__ = ["Registry", "RegistryError"]
