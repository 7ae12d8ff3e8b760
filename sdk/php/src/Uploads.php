<?php

declare(strict_types=1);

namespace Millrace;

use Millrace\Exceptions\ConnectionException;
use Millrace\Exceptions\MillraceException;
use Millrace\Exceptions\UploadException;

/** Sends videos and files to storage, part by part. */
final class Uploads
{
    private const LARGE_BYTES = 64 * 1024 * 1024;
    private const ATTEMPTS = 5;

    /** @param (\Closure(int, int): void)|null $onProgress */
    public function __construct(private readonly Client $client, private readonly ?\Closure $onProgress)
    {
    }

    /**
     * @param array<string, mixed> $fields
     * @param (\Closure(string): void)|null $onStart
     * @return array{uploadId: string, assetId: string}
     */
    public function video(Source $source, array $fields, ?string $resume, ?\Closure $onStart): array
    {
        $uploads = $this->client->video->uploads;
        if ($resume === null) {
            $name = $source->filename === null ? [] : ['filename' => $source->filename];
            $started = $uploads->start(['bytes' => $source->bytes] + $fields + $name) + ['partsReceived' => []];
        } else {
            $started = $uploads->status($resume);
            self::checkSize($started['bytes'], $source);
            $started['state'] === 'paused' && $uploads->resume($resume);
        }
        $id = $started['uploadId'];
        $onStart === null || $onStart($id);
        $sign = fn (int $part): string => $this->client->video->uploadParts->sign($id, ['partNumbers' => [$part]])['parts'][0]['url'];
        try {
            if (($started['state'] ?? '') !== 'completed') {
                $this->parts($source, $started['partSizeBytes'], $started['partsExpected'], $started['partsReceived'], $sign);
            }
            // A second call returns the same response, so the call can be repeated.
            return ['uploadId' => $id, 'assetId' => $uploads->complete($id)['assetId']];
        } catch (MillraceException $failure) {
            throw new UploadException($id, $failure);
        }
    }

    /**
     * @param array<string, mixed> $fields
     * @param (\Closure(string): void)|null $onStart
     * @return array<string, mixed>
     */
    public function file(Source $source, array $fields, ?string $resume, ?\Closure $onStart): array
    {
        $owner = isset($fields['tenant_id']) ? ['tenant_id' => $fields['tenant_id']] : [];
        $body = ['byte_size' => $source->bytes] + $fields + ['filename' => $source->filename];
        if ($resume === null && $source->bytes <= self::LARGE_BYTES) {
            $started = $this->client->files->uploads->start($body);
            $this->tell(0, $source);
            $this->put($source, 0, $source->bytes, fn (): string => $started['upload_url'], $started['upload_headers']);
            $this->tell($source->bytes, $source);
            return $this->client->files->uploads->complete($started['object_id'], $owner);
        }
        return $this->largeFile($source, $body, $owner, $resume, $onStart);
    }

    /**
     * @param array<string, mixed> $body
     * @param array<string, string> $owner
     * @param (\Closure(string): void)|null $onStart
     * @return array<string, mixed>
     */
    private function largeFile(Source $source, array $body, array $owner, ?string $resume, ?\Closure $onStart): array
    {
        $multipart = $this->client->files->multipart;
        $started = $resume === null ? $multipart->start($body) + ['parts_received' => []] : $multipart->read($resume, $owner);
        $id = $started['object_id'] ?? $resume;
        self::checkSize($started['byte_size'] ?? $source->bytes, $source);
        $onStart === null || $onStart($id);
        $sign = fn (int $part): string => $multipart->sign($id, ['part_numbers' => [$part]] + $owner)['parts'][0]['url'];
        try {
            if (($started['state'] ?? '') !== 'completed') {
                $this->parts($source, $started['part_size'], $started['parts_expected'], $started['parts_received'], $sign);
            }
            return $this->client->files->uploads->complete($id, $owner);
        } catch (MillraceException $failure) {
            throw new UploadException($id, $failure);
        }
    }

    /**
     * Sends the parts that storage does not have.
     *
     * @param list<int> $received
     * @param \Closure(int): string $sign Returns a new URL for a part, for each attempt.
     */
    private function parts(Source $source, int $size, int $parts, array $received, \Closure $sign): void
    {
        $lengthOf = static fn (int $part): int => min($size, $source->bytes - ($part - 1) * $size);
        $sent = array_sum(array_map($lengthOf, $received));
        $this->tell($sent, $source);
        foreach (array_diff(range(1, $parts), $received) as $part) {
            $this->put($source, ($part - 1) * $size, $lengthOf($part), static fn (): string => $sign($part));
            $this->tell($sent += $lengthOf($part), $source);
        }
    }

    /**
     * @param \Closure(): string $url
     * @param array<string, string> $headers
     */
    private function put(Source $source, int $start, int $length, \Closure $url, array $headers = []): void
    {
        for ($attempt = 1; ; $attempt++) {
            $status = self::sent($url(), $source->part($start, $length), $length, $headers);
            if ($status >= 200 && $status < 300) {
                return;
            }
            // A signed URL is a secret, so the message does not contain it.
            $failure = $status === 0
                ? new ConnectionException('Cannot connect to storage.')
                : new MillraceException("Storage returned {$status}.");
            if ($attempt === self::ATTEMPTS || ($status !== 0 && $status !== 403 && $status < 500)) {
                throw $failure;
            }
            usleep((int) (Retries::delay($attempt, $failure) * 1_000_000));
        }
    }

    /**
     * Returns the status, or 0 if no response was received.
     *
     * @param resource $part
     * @param array<string, string> $headers
     */
    private static function sent(string $url, mixed $part, int $length, array $headers): int
    {
        $handle = curl_init($url);
        $lines = ['expect:'];
        foreach ($headers as $name => $value) {
            $lines[] = "{$name}: {$value}";
        }
        curl_setopt_array($handle, [
            CURLOPT_UPLOAD => true,
            CURLOPT_INFILE => $part,
            CURLOPT_INFILESIZE => $length,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_CONNECTTIMEOUT => 30,
            // A connection below 1 KB per second for a minute is closed.
            CURLOPT_LOW_SPEED_LIMIT => 1024,
            CURLOPT_LOW_SPEED_TIME => 60,
            CURLOPT_NOSIGNAL => true,
        ]);
        $answer = curl_exec($handle);
        return $answer === false ? 0 : (int) curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
    }

    private static function checkSize(int $bytes, Source $source): void
    {
        if ($bytes !== $source->bytes) {
            throw new MillraceException("The upload has {$bytes} bytes, but this source has {$source->bytes}.");
        }
    }

    private function tell(int $sent, Source $source): void
    {
        $this->onProgress === null || ($this->onProgress)($sent, $source->bytes);
    }
}
