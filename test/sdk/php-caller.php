<?php

/** Makes the calls of the shared list (standard input) with the PHP client and reports their outcomes. */

declare(strict_types=1);

use Millrace\Client;
use Millrace\Exceptions\ApiException;
use Millrace\Exceptions\BadRequestException;
use Millrace\Exceptions\MillraceException;
use Millrace\Webhooks;

require __DIR__ . '/../../sdk/php/autoload.php';

set_error_handler(static function (int $level, string $text, string $file, int $line): never {
    throw new ErrorException($text, 0, $level, $file, $line);
});

/** Replaces `$app.id` by this field of the answer of the call `app`. */
function filled(mixed $value, array $known): mixed
{
    if (is_string($value) && str_starts_with($value, '$')) {
        $inner = $known;
        foreach (explode('.', substr($value, 1)) as $field) {
            $inner = $inner[$field] ?? null;
        }
        return $inner;
    }
    return is_array($value) ? array_map(static fn (mixed $one): mixed => filled($one, $known), $value) : $value;
}

function firstOf(iterable $all, int $most): array
{
    $some = [];
    foreach ($all as $one) {
        $some[] = $one;
        if (count($some) === $most) {
            break;
        }
    }
    return $some;
}

function streamOf(string $bytes): mixed
{
    $stream = fopen('php://temp', 'w+b');
    fwrite($stream, $bytes);
    return $stream;
}

function bytesOf(int $size): string
{
    $bytes = '';
    for ($i = 0; $i < $size; $i++) {
        $bytes .= chr(($i * 31 + ($i >> 8)) & 255);
    }
    return $bytes;
}

function helped(Client $client, string $name, array $args): mixed
{
    switch ($name) {
        case 'upload_video':
            $sent = 0;
            $progress = static function (int $bytes) use (&$sent): void {
                $sent = $bytes;
            };
            $source = streamOf(bytesOf($args['bytes']));
            unset($args['bytes']);
            return $client->uploadVideo($source, $args, onProgress: $progress) + ['sent' => $sent];
        case 'upload_file':
            $source = streamOf($args['text']);
            unset($args['text']);
            return $client->uploadFile($source, $args);
        case 'verify_webhook':
            return Webhooks::verify($args['payload'], $args['headers'], $args['secret'], now: $args['now']);
    }
    throw new LogicException("There is no helper {$name}.");
}

function made(array $call, array $known): mixed
{
    $given = $call['options'] ?? [];
    $options = array_filter([
        'idempotency_key' => $given['idempotency_key'] ?? null,
        'timeout' => isset($given['timeout_ms']) ? $given['timeout_ms'] / 1000 : null,
        'max_retries' => $given['max_retries'] ?? null,
    ], static fn (mixed $one): bool => $one !== null);
    $client = new Client($call['base_url'], $call['api_key'], ['max_retries' => $options['max_retries'] ?? 2]);
    $args = isset($call['args']) ? filled($call['args'], $known) : null;
    if (isset($call['helper'])) {
        return helped($client, $call['helper'], $args ?? []);
    }
    $take = $call['take'] ?? [];
    $place = $client;
    foreach (array_slice($call['node'], 0, -1) as $step) {
        $place = $place->$step;
    }
    $method = end($call['node']);
    if (isset($take['events']) && method_exists($place, "{$method}Stream")) {
        $method .= 'Stream';
    }
    $parameters = array_map('strval', filled($call['path'] ?? [], $known));
    $takesArgs = (new ReflectionMethod($place, $method))->getNumberOfParameters() > count($parameters) + 1;
    $answer = $place->$method(...$parameters, ...($takesArgs ? [$args ?? []] : []), options: $options);
    return match (true) {
        isset($take['pages']) => ['pages' => array_map(static fn ($page): int => count($page->data), firstOf($answer->pages(), $take['pages']))],
        isset($take['items']) => ['items' => firstOf($answer, $take['items'])],
        isset($take['events']) => ['events' => array_map('get_object_vars', firstOf($answer, $take['events']))],
        $answer instanceof Millrace\Listing => ['data' => $answer->page()->data],
        default => $answer,
    };
}

function reported(MillraceException $failure): array
{
    $name = (new ReflectionClass($failure))->getShortName();
    $isApi = $failure instanceof ApiException;
    $fields = $failure instanceof BadRequestException ? $failure->fields() : [];
    sort($fields);
    $names = ['ServerException' => 'ServerError', 'ApiException' => 'APIError'];
    $plain = $isApi ? '' : 'Error';
    return [
        'type' => $names[$name] ?? str_replace('Exception', $plain, $name),
        'status' => $isApi ? $failure->status : null,
        'code' => $isApi ? $failure->errorCode : null,
        'fields' => $fields,
        'retry_after' => $isApi ? $failure->retryAfter : null,
        'has_request_id' => $isApi && $failure->requestId !== null,
    ];
}

$program = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
$known = $program['given'];
$outcomes = [];
foreach ($program['calls'] as $call) {
    try {
        $known[$call['id']] = made($call, $known);
        $outcomes[$call['id']] = ['answer' => $known[$call['id']]];
    } catch (MillraceException $failure) {
        $outcomes[$call['id']] = ['error' => reported($failure)];
    } catch (Throwable $failure) {
        fwrite(STDERR, "{$call['id']}: {$failure}\n");
        $outcomes[$call['id']] = ['error' => ['type' => $failure::class]];
    }
}
echo json_encode($outcomes, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
