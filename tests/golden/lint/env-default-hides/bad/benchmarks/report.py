import os

print(os.environ.get("THINKING_MODE", "none"))
