"""How Pulumi marks special values in its messages, states and events.

Source: pulumi's sdk/proto/pulumi/provider.proto and the SDKs' rpc modules, which take long to import.
"""

SIGNATURE = "4dabf18193072939515e22adb298388d"
"""Key whose value says what kind of special value an object is."""
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - the mark of a secret, none itself
UNKNOWN_STRING = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What stands for a text that is not known before the update."""
