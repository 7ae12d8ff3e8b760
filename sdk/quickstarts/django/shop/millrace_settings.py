# The last line of settings.py imports these settings.
import os

# Mail of Django leaves by SMTP with the API key as password.
EMAIL_HOST = os.environ["SMTP_HOST"]
EMAIL_PORT = int(os.environ["SMTP_PORT"])
EMAIL_USE_TLS = True
EMAIL_HOST_USER = "millrace"
EMAIL_HOST_PASSWORD = os.environ["MILLRACE_API_KEY"]
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = os.environ["EMAIL_FROM"]

WEBHOOK_SECRET = os.environ["WEBHOOK_SECRET"]
