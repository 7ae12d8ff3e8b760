"""Uploads a file to the malware gate and downloads it again."""

import sys
import urllib.request

from _settings import api_key, base_url
from millrace import Millrace

with Millrace(base_url=base_url(), api_key=api_key("platform")) as client:
    file = client.upload_file(sys.argv[1], product_key="crm", tenant_id="acme", content_type="text/plain")
    print(file["filename"], file["byte_size"], file["scan_status"])

    if file["scan_status"] == "clean":
        link = client.files.objects.download_url(file["object_id"], tenant_id="acme")
        with urllib.request.urlopen(link["download_url"]) as answer:
            print(len(answer.read()), "bytes came back")

    client.files.objects.remove(file["object_id"], tenant_id="acme")
