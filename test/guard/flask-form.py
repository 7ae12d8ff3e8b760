"""A form with the reCAPTCHA field of Flask-WTF. Arguments: base URL of Millrace, site key, secret. Prints its port."""

import sys

from flask import Flask, render_template_string
from flask_wtf import FlaskForm, RecaptchaField
from werkzeug.serving import make_server
from wtforms import StringField

base, site_key, secret = sys.argv[1:]
app = Flask(__name__)
app.config.update(
    SECRET_KEY="of the test",
    RECAPTCHA_PUBLIC_KEY=site_key,
    RECAPTCHA_PRIVATE_KEY=secret,
    RECAPTCHA_VERIFY_SERVER=f"{base}/v1/guard/siteverify",
    RECAPTCHA_SCRIPT=f"{base}/v1/guard/compat.js",
    RECAPTCHA_DATA_ATTRS={"callback": "solved"},
)


class Form(FlaskForm):
    name = StringField("Name")
    recaptcha = RecaptchaField()


PAGE = """<!doctype html><title>Form</title><script>function solved() { document.title = 'Solved' }</script>
<p id="outcome">{{ outcome }}</p><form method="post">{{ form.hidden_tag() }}{{ form.name() }}{{ form.recaptcha }}
<button id="send">Send</button></form>"""


@app.route("/", methods=["GET", "POST"])
def form():
    given = Form()
    accepted = given.validate_on_submit()
    outcome = f"accepted {given.name.data}" if accepted else str(given.errors or "")
    return render_template_string(PAGE, form=given, outcome=outcome)


server = make_server("127.0.0.1", 0, app)
print(server.port, flush=True)
server.serve_forever()
