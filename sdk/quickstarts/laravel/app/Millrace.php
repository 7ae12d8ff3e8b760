<?php

namespace App;

use Illuminate\Http\Request;
use Illuminate\Http\UploadedFile;
use Illuminate\Support\Facades\Http;
use RuntimeException;

class Millrace
{
    /** Calls an operation. Throws a RequestException for an error, and shows 404 for an unknown object. */
    public static function call(string $verb, string $path, ?array $fields = null): array
    {
        $body = $fields === null ? [] : ['body' => json_encode((object) $fields)];
        $client = Http::withToken(config('millrace.key'))->contentType('application/json')->timeout(30);
        $reply = $client->send($verb, config('millrace.url') . $path, $body);
        abort_if($reply->status() === 404, 404);
        return $reply->throw()->json();
    }

    /** Sends a file and starts its scan. Returns the object. */
    public static function upload(UploadedFile $file): array
    {
        $owner = ['product_key' => 'shop', 'tenant_id' => config('millrace.tenant')];
        $names = ['filename' => $file->getClientOriginalName(), 'content_type' => $file->getClientMimeType()];
        $upload = self::call('POST', '/v1/files/uploads', $owner + $names + ['byte_size' => $file->getSize()]);
        $storage = Http::timeout(600)->withHeaders($upload['upload_headers']);
        $storage->send('PUT', $upload['upload_url'], ['body' => fopen($file->path(), 'r')])->throw();
        return self::call('POST', "/v1/files/uploads/{$upload['object_id']}/complete", []);
    }

    /** Returns the event of a webhook that was signed in the last five minutes, otherwise null. */
    public static function verify(Request $request): ?array
    {
        $header = fn ($name) => $request->header("webhook-$name", '');
        [$id, $at, $signatures] = array_map($header, ['id', 'timestamp', 'signature']);
        $recent = preg_match('/^\d{1,12}$/D', $at) && abs(time() - (int) $at) <= 300;
        $key = base64_decode(substr(config('millrace.webhook_secret'), strlen('whsec_')), true);
        throw_unless($key, RuntimeException::class, 'WEBHOOK_SECRET must be whsec_ followed by base64.');
        $mac = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at." . $request->getContent(), $key, true));
        $valid = array_filter(explode(' ', $signatures), fn ($one) => hash_equals($mac, $one));
        return $recent && $valid ? json_decode($request->getContent(), true) : null;
    }
}
