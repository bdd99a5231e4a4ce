"""The plugin: Pulumi's provider protocol on one side, one lifecycle a resource on the other."""
