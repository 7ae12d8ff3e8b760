<!doctype html>
<html lang="en">
<title>Shop</title>
@if ($errors->any())<p role="alert">{{ $errors->first() }}</p>@endif
<form method="post" action="/mail">@csrf
  <label>Email address <input type="email" name="email" required></label>
  <button>Send</button>
</form>
<form method="post" action="/files" enctype="multipart/form-data">@csrf
  <label>File <input type="file" name="file" required></label>
  <button>Upload</button>
</form>
