from django import forms
from django.conf import settings
from django.core.mail import send_mail
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from millrace import APIError, ConflictError, Millrace, NotFoundError, WebhookVerificationError, webhooks

client = Millrace()  # reads MILLRACE_BASE_URL and MILLRACE_API_KEY
TENANT = "demo"  # in your product: the account of the signed-in user


class MailForm(forms.Form):
    email = forms.EmailField()


class FileForm(forms.Form):
    file = forms.FileField()


def home(request, error=""):
    return render(request, "home.html", {"error": error}, status=400 if error else 200)


@require_POST
def mail(request):
    form = MailForm(request.POST)
    if not form.is_valid():
        return home(request, "Enter an email address.")
    to = form.cleaned_data["email"]
    send_mail("Your order", "Your order is on its way.", None, [to])  # by SMTP
    sender = {"email": settings.DEFAULT_FROM_EMAIL}
    client.email.messages.create(  # by the client
        stream="transactional", from_=sender, to=to, subject="Your invoice", text="Your invoice is ready."
    )
    return HttpResponse(f"Two messages to {to} were accepted.", content_type="text/plain")


@csrf_exempt  # the signature replaces the CSRF token
@require_POST
def hooks(request):
    try:
        event = webhooks.verify(request.body, request.headers, settings.WEBHOOK_SECRET)
    except WebhookVerificationError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    print("event", event["type"], request.headers["webhook-id"], flush=True)
    return HttpResponse(status=204)


@require_POST
def upload(request):
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid():
        return home(request, "Choose a file that is not empty.")
    file = form.cleaned_data["file"]
    facts = {"filename": file.name, "content_type": file.content_type or "application/octet-stream"}
    try:
        stored = client.upload_file(file, product_key="shop", tenant_id=TENANT, **facts)
    except APIError as error:
        return home(request, error.message)
    return redirect("file", stored["object_id"])


def show(request, id):
    try:
        file = client.files.objects.read(str(id), tenant_id=TENANT)
    except NotFoundError:
        raise Http404
    waits = file["scan_status"] in ("pending", "scanning")
    return render(request, "file.html", {"file": file, "waits": waits})


def download(request, id):
    try:
        link = client.files.objects.download_url(str(id), tenant_id=TENANT)
    except NotFoundError:
        raise Http404
    except ConflictError:  # the file is not clean
        return redirect("file", id)
    return redirect(link["download_url"])
