import os

print(os.environ.get("MODEL", "none"))
