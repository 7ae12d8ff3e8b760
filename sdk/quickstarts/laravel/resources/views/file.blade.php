<!doctype html>
<html lang="en">
<title>{{ $file['filename'] }}</title>
@if (in_array($file['scan_status'], ['pending', 'scanning']))<meta http-equiv="refresh" content="2">@endif
<p>{{ $file['filename'] }}: {{ $file['scan_status'] }}</p>
@if ($file['scan_status'] === 'clean')<p><a href="/files/{{ $file['object_id'] }}/download">Download</a></p>@endif
