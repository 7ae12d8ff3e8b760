<?php

declare(strict_types=1);

namespace Millrace;

use Millrace\Exceptions\MillraceException;

/**
 * Client for the Millrace API: `$client->push->send([…])`.
 *
 * @mixin Areas
 * @phpstan-import-type Options from Transport
 */
final class Client
{
    public const VERSION = '1.0.0';

    private readonly Transport $transport;
    private readonly Areas $areas;

    /**
     * @param string|null $baseUrl URL of the API, with or without `/v1`. Default: MILLRACE_BASE_URL.
     * @param string|null $apiKey API key. Default: MILLRACE_API_KEY.
     * @param Options $options Options of all calls: `timeout` in seconds per attempt (default: 60), `max_retries`
     *   (default: 2), `headers`, `on_request`, `on_response`, `on_retry`. A call can override them.
     * @param array<int, mixed> $curl More options of curl, for example `[CURLOPT_PROXY => …]`.
     */
    public function __construct(
        ?string $baseUrl = null,
        #[\SensitiveParameter] ?string $apiKey = null,
        array $options = [],
        array $curl = [],
    ) {
        $apiKey ??= self::setting('MILLRACE_API_KEY');
        // The message never contains the key.
        if ($apiKey !== null && preg_match('/^[\x21-\x7e]+$/D', $apiKey) !== 1) {
            throw new MillraceException('apiKey is empty or contains an invalid character.');
        }
        $base = self::checkedBase($baseUrl ?? self::setting('MILLRACE_BASE_URL'));
        $this->transport = new Transport($base, $apiKey, $options, $curl);
        $this->areas = new Areas($this->transport);
    }

    public function __get(string $name): Place
    {
        return $this->areas->__get($name);
    }

    public function __isset(string $name): bool
    {
        return isset($this->areas->$name);
    }

    /**
     * Calls any operation, for example one that this version of the client does not know. Returns the decoded JSON, or
     * null if the response is empty. A POST is retried only if it has an idempotency key.
     *
     * @param array<string, mixed>|null $body
     * @param array<string, mixed> $query
     * @param Options $options
     */
    public function request(string $verb, string $path, ?array $body = null, array $query = [], array $options = []): mixed
    {
        $operation = new Operation(strtoupper($verb), $path, keyed: isset($options['idempotency_key']));
        $text = $this->transport->text($operation, [], $query, $body, $options);
        return $text === '' ? null : json_decode($text, true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    }

    /**
     * Uploads a video from a path or a stream, and completes the upload, which starts the processing.
     *
     * @param string|resource $source Path or seekable stream.
     * @param array<string, mixed> $fields Fields of `video.uploads.start` except `bytes`, for example `title`.
     * @param string|null $resume ID of an interrupted upload. Parts that storage already has are not sent again.
     * @param (\Closure(string): void)|null $onStart Receives the ID of the upload. Store it to resume the upload.
     * @param (\Closure(int, int): void)|null $onProgress Receives the bytes in storage and all bytes.
     * @return array{uploadId: string, assetId: string}
     */
    public function uploadVideo(
        mixed $source,
        array $fields = [],
        ?string $resume = null,
        ?\Closure $onStart = null,
        ?\Closure $onProgress = null,
    ): array {
        return (new Uploads($this, $onProgress))->video(new Source($source), $fields, $resume, $onStart);
    }

    /**
     * Uploads a file from a path or a stream to the malware gate and starts its scan. Files above 64 MiB are sent in
     * parts.
     *
     * @param string|resource $source Path or seekable stream.
     * @param array<string, mixed> $fields `product_key`, `tenant_id`, `content_type`, `filename`, …
     * @param string|null $resume `object_id` of an interrupted upload in parts.
     * @param (\Closure(string): void)|null $onStart Receives the `object_id` of an upload in parts.
     * @param (\Closure(int, int): void)|null $onProgress Receives the bytes in storage and all bytes.
     * @return array<string, mixed>
     */
    public function uploadFile(
        mixed $source,
        array $fields,
        ?string $resume = null,
        ?\Closure $onStart = null,
        ?\Closure $onProgress = null,
    ): array {
        return (new Uploads($this, $onProgress))->file(new Source($source), $fields, $resume, $onStart);
    }

    private static function setting(string $name): ?string
    {
        $value = getenv($name);
        return is_string($value) && $value !== '' ? $value : null;
    }

    /** Returns the URL of the API without `/v1`, because the paths of operations already contain it. */
    private static function checkedBase(?string $url): string
    {
        if ($url === null) {
            throw new MillraceException('The URL of the API is not set. Pass baseUrl, or set MILLRACE_BASE_URL.');
        }
        $parts = parse_url($url);
        $isWeb = is_array($parts) && in_array($parts['scheme'] ?? '', ['http', 'https'], true) && isset($parts['host']);
        if (!$isWeb || array_intersect_key($parts, ['user' => 1, 'pass' => 1, 'query' => 1, 'fragment' => 1]) !== []) {
            throw new MillraceException('baseUrl must be an http or https URL without query or credentials.');
        }
        return (string) preg_replace('~/v1$~', '', rtrim($url, '/'));
    }
}
