"""Uploads a video and waits until it is playable: `upload_video.py FILE [UPLOAD_ID]`. Pass the ID to resume an upload."""

import sys
import time

from _settings import api_key, base_url
from millrace import Millrace, UploadError


def show(sent: int, total: int) -> None:
    print(f"{100 * sent // total} %")


path, resume = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None

with Millrace(base_url=base_url(), api_key=api_key("stream")) as client:
    try:
        uploaded = client.upload_video(path, title="Opening talk", resume=resume, on_progress=show)
    except UploadError as error:
        sys.exit(f"{error} Go on with: upload_video.py {path} {error.upload_id}")

    while True:
        asset = client.video.assets.read(uploaded["assetId"])
        if asset["status"] not in ("uploading", "processing"):
            break
        time.sleep(1)
    print("asset", asset["status"])
