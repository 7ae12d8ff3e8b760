"""Writes ordinary documents and archives as common makers write them: makers.py <folder> <seed>.

The seed varies names, contents and sizes. What a program makes that is not installed is left out.
"""

import gzip
import io
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib

out, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2])
chance = random.Random(seed)
words = "river stone harvest letter bridge morning copper window quiet garden onion=3 S/JavaScript once".split()


def text(lines):
    return "\n".join(" ".join(chance.choice(words) for _ in range(9)) for _ in range(lines)) + "\n"


def noise(size):
    return chance.randbytes(size)


def png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + noise(16) for _ in range(16))
    head = struct.pack(">IIBBBBB", 16, 16, 8, 0, 0, 0, 0)
    comment = b"Comment\0" + text(1).encode()
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [chunk(b"IHDR", head), chunk(b"tEXt", comment), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    )


# A real one: what only begins like a program is broken, and told about.
with open(os.path.realpath("/bin/true"), "rb") as file:
    program = file.read()

page = f"<!doctype html><html><head><title>{seed}</title></head><body><p>{text(3)}</p></body></html>"
site = page.replace("</head>", "<script src=a.js></script></head>")
drawing = f'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><text>{text(1)}</text></svg>'

tree = {
    "readme.txt": text(20).encode(),
    "notes/a b.txt": text(chance.randint(1, 400)).encode(),
    "notes/ü-ä.md": text(3).encode(),
    "notes/empty.txt": b"",
    "site/index.html": site.encode(),
    "site/photo.png": png(),
    "bin/run.sh": b"#!/bin/sh\nexit 0\n",
    "lib/part.so": program,
    "data/noise.dat": noise(chance.randint(100, 60000)),
    "data/long/" + "d" * 90 + "/" + "f" * 120 + ".csv": b"a,b\n1,2\n",
}


def write(name, data):
    with open(os.path.join(out, name), "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


class Pipe(io.RawIOBase):
    """A file that cannot be rewound, so that sizes follow the data."""

    def __init__(self):
        super().__init__()
        self.bytes = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.bytes += data
        return len(data)


def zipped(files, method=zipfile.ZIP_DEFLATED, to=None, stored=(), **options):
    to = to or io.BytesIO()
    with zipfile.ZipFile(to, "w", method) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, (2024, 1, 1 + seed % 28, 0, 0, 0))
            info.compress_type = zipfile.ZIP_STORED if name in stored else method
            with archive.open(info, "w", **options) as entry:
                entry.write(data if isinstance(data, bytes) else data.encode())
    return to.bytes if isinstance(to, Pipe) else to.getvalue()


def by_python():
    write("python-deflated.zip", zipped(tree))
    write("python-stored.zip", zipped(tree, zipfile.ZIP_STORED))
    write("python-streamed.zip", bytes(zipped(tree, to=Pipe())))
    write("python-streamed-zip64.zip", bytes(zipped(tree, to=Pipe(), force_zip64=True)))
    write("python-zip64.zip", zipped(tree, force_zip64=True))
    write("python-nested.zip", zipped({"a.zip": zipped(tree), "b.tar.gz": tarred("w:gz"), "c.gz": gzip.compress(b"c")}))
    write("python-empty.zip", zipped({}))
    commented = io.BytesIO(zipped(tree))
    with zipfile.ZipFile(commented, "a") as archive:
        archive.comment = text(5).encode()
        archive.mkdir("folder") if hasattr(archive, "mkdir") else None
    write("python-comment.zip", commented.getvalue())
    write("python-gnu.tar", tarred("w", tarfile.GNU_FORMAT))
    write("python-pax.tar", tarred("w", tarfile.PAX_FORMAT))
    write("python.tar.gz", tarred("w:gz"))
    write("python.tar.bz2", tarred("w:bz2"))
    write("python.tar.xz", tarred("w:xz"))
    write("log.gz", gzip.compress(text(200).encode()))
    write("log-appended.gz", gzip.compress(text(20).encode()) + gzip.compress(text(20).encode()))


def tarred(mode, form=tarfile.PAX_FORMAT):
    to = io.BytesIO()
    with tarfile.open(fileobj=to, mode=mode, format=form) as archive:
        for name, data in tree.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "../readme.txt"
        archive.addfile(link)
    return to.getvalue()


def open_xml(main, more):
    types = '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
    links = '<Relationship Id="r" Type="http://x/relationships/officeDocument" Target="%s"/>' % main
    hyper = '<Relationship Type="http://x/relationships/hyperlink" Target="http://example.org" TargetMode="External"/>'
    return {
        "[Content_Types].xml": types,
        "_rels/.rels": f"<Relationships>{links}</Relationships>",
        main: f"<w>{text(60)}</w>",
        "docProps/core.xml": "<cp/>",
        main.split("/")[0] + "/_rels/" + main.split("/")[1] + ".rels": f"<Relationships>{hyper}</Relationships>",
        **more,
    }


def flat_odf():
    spaces = {"xhtml": "http://www.w3.org/1999/xhtml", "ooo": "http://openoffice.org/2004/office"}
    for name in ["office", "script", "text"]:
        spaces[name] = f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"
    names = " ".join(f'xmlns:{name}="{space}"' for name, space in spaces.items())
    libraries = f'<ooo:libraries xmlns:ooo="{spaces["ooo"]}" xmlns:xlink="http://www.w3.org/1999/xlink"/>'
    scripts = f'<office:script script:language="ooo:Basic">\n   {libraries}\n  </office:script>'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n\n'
        f'<office:document {names} office:mimetype="application/vnd.oasis.opendocument.text">\n'
        f" <office:scripts>\n  {scripts}\n </office:scripts>\n"
        f" <office:body><office:text><text:p>{text(50)}</text:p></office:text></office:body>\n</office:document>"
    )


def documents():
    write("flat.fodt", flat_odf())
    write("letter.docx", zipped(open_xml("word/document.xml", {"word/media/image1.png": png()})))
    write("streamed.docx", bytes(zipped(open_xml("word/document.xml", {}), to=Pipe())))
    write("table.xlsx", zipped(open_xml("xl/workbook.xml", {"xl/worksheets/sheet1.xml": f"<s>{text(900)}</s>"})))
    write("slides.pptx", zipped(open_xml("ppt/presentation.xml", {"ppt/media/a.png": png()})))
    for ending, kind in {"odt": "text", "ods": "spreadsheet", "odp": "presentation"}.items():
        body = {"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": text(50), "Pictures/a.png": png()}
        write(f"open.{ending}", zipped({**body, "META-INF/manifest.xml": "<m/>"}, stored=("mimetype",)))
    book = {"mimetype": "application/epub+zip", "META-INF/container.xml": "<c/>", "OPS/a.xhtml": site, "OPS/a.css": "p{}"}
    write("book.epub", zipped(book, stored=("mimetype",)))
    write("hand.jar", zipped({"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\n", "a/B.class": b"\xca\xfe\xba\xbe\0\0\0\x34" + noise(90)}))
    write("app.apk", apk())
    write("page.html", page)
    write("drawing.svg", drawing)
    write("drawing.svgz", gzip.compress(drawing.encode()))
    write("photo.png", png())
    write("photo.bmp", b"BM" + struct.pack("<IHHI", 26 + 64, 0, 0, 26) + struct.pack("<IHHHH", 12, 4, 4, 1, 24) + noise(64))
    write("table.csv", "a;b\n" + text(30))
    write("readme.md", "# About <script> and EICAR\n" + text(30))
    write("data.json", '{"a": [1, 2]}')
    write("letter.rtf", "{\\rtf1\\ansi " + text(3) + "}")
    write("noise.bin", noise(chance.randint(1, 99999)))
    write("empty.txt", b"")
    write("old.pdf", pdf([]))
    write("new.pdf", pdf([b"1 0 <</Title (About /JavaScript and \\( /Launch)>>"]))


def apk():
    """Stored entries padded to four bytes in their extra field, and a signing block before the directory."""
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_STORED) as archive:
        for name, data in {"AndroidManifest.xml": noise(99), "resources.arsc": noise(301), "lib/a.so": tree["lib/part.so"]}.items():
            info = zipfile.ZipInfo(name)
            info.extra = b"\0" * (-(to.tell() + 30 + len(name)) % 4)
            archive.writestr(info, data)
        start = archive.start_dir
    whole = to.getvalue()
    pair = noise(chance.randint(50, 5000))
    pairs = struct.pack("<QI", len(pair) + 4, 0x7109871A) + pair
    size = len(pairs) + 24
    block = struct.pack("<Q", size) + pairs + struct.pack("<Q", size) + b"APK Sig Block 42"
    end = bytearray(whole[start:])
    at = end.rindex(b"PK\5\6")
    end[at + 16 : at + 20] = struct.pack("<I", start + len(block))
    return whole[:start] + block + bytes(end)


def pdf(packed):
    parts = [b"%PDF-1.6\n%\xe2\xe3\n1 0 obj <</Type /Catalog /Pages 2 0 R /OpenAction [3 0 R /Fit]>> endobj\n"]
    picture = zlib.compress(noise(3000))
    parts.append(b"4 0 obj <</Subtype /Image /Filter /FlateDecode /Length %d>> stream\n%s\nendstream endobj\n" % (len(picture), picture))
    for objects in map(zlib.compress, packed):
        parts.append(b"5 0 obj <</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length %d>> stream\r\n" % len(objects))
        parts.append(objects + b"\r\nendstream endobj\n")
    update = b"trailer <</Root 1 0 R>>\nstartxref\n9\n%%EOF\n"
    return b"".join(parts) + update + b"6 0 obj <</Title (HTML/CSS/JavaScript)>> endobj\n" + update + b"\r\n"


def by_programs():
    place = os.path.join(out, "tree")
    for name, data in tree.items():
        os.makedirs(os.path.dirname(os.path.join(place, name)), exist_ok=True)
        with open(os.path.join(place, name), "wb") as file:
            file.write(data)
    made = {
        "zip": ["zip -qr ../zip.zip .", "zip -qr0 ../zip-stored.zip .", "zip -qr9X ../zip-best.zip .", "zip -qrD ../zip-files.zip .",
                "zip -qr - . | cat >../zip-piped.zip", "zip -qr -fz ../zip-zip64.zip .", "zip -qr -fd ../zip-descriptors.zip .",
                "cat readme.txt | zip -q ../zip-stdin.zip -", "zip -qr ../zip-twice.zip notes && zip -qr ../zip-twice.zip site",
                "zip -qr ../zip-deleted.zip . && zip -qd ../zip-deleted.zip 'site/*'", "echo hello | zip -qrz ../zip-comment.zip ."],
        "7zz": ["7zz a -bd -tzip ../7z.zip .", "7zz a -bd -tzip -mx=0 ../7z-stored.zip .", "7zz a -bd -tzip -mx=9 ../7z-best.zip .",
                "7zz a -bd ../7z.7z .", "7zz a -bd -mx=9 -ms=off ../7z-single.7z .",
                "7zz a -bd -mx=0 ../7z-stored.7z .", "7zz a -bd -ttar ../7z.tar .", "7zz a -bd -tgzip ../7z.gz readme.txt",
                "7zz a -bd -m0=Deflate64 ../7z-deflate64.7z .", "if 7zz i | grep -q ARM64; then 7zz a -bd -m0=ARM64 -m1=LZMA2 ../7z-arm64.7z .; fi",
                "7zz a -bd -tzip -mm=Deflate64 ../7z-deflate64.zip .", "7zz a -bd -twim ../7z.wim ."],
        "jar": ["jar cf ../jar.jar .", "jar c0f ../jar-stored.jar .", "jar cMf ../jar-plain.zip ."],
        "tar": ["tar cf ../tar.tar .", "tar czf ../tar.tar.gz .", "tar -H pax -cf ../tar-pax.tar .",
                "tar -H v7 -cf ../tar-v7.tar notes site", "tar -H ustar -cf ../tar-ustar.tar notes site"],
        "bsdtar": ["bsdtar -cf ../bsdtar.cpio --format=newc .", "bsdtar -cf ../bsdtar-old.cpio --format=odc .",
                   "bsdtar -caf ../bsdtar.7z .", "bsdtar -cf ../bsdtar.tar.lz --lzip ."],
        "xz": ["xz -9c readme.txt >../xz.txt.xz", "xz -c --format=lzma readme.txt >../xz.txt.lzma"],
        "arj": ["arj a -r ../arj.arj ."],
        "mksquashfs": ["mksquashfs . ../mk.squashfs -noappend -quiet -no-progress",
                       "mksquashfs . ../mk-xz.squashfs -noappend -quiet -no-progress -comp xz"],
        "lz4": ["lz4 -q readme.txt ../lz4.txt.lz4"],
        "lzop": ["lzop -o ../lzop.txt.lzo readme.txt"],
        "compress": ["compress -c readme.txt >../compress.txt.Z"],
        "gzip": ["gzip -9c readme.txt >../gzip.txt.gz"],
    }
    for program, commands in made.items():
        for command in commands if shutil.which(program) else []:
            subprocess.run(command, shell=True, cwd=place, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(place)


by_python()
documents()
by_programs()
