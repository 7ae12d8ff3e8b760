<?php

declare(strict_types=1);

namespace Millrace;

use Millrace\Exceptions\MillraceException;
use Millrace\Exceptions\WebhookVerificationException;

/** Verifies webhooks (Standard Webhooks 1.0). */
final class Webhooks
{
    /** Maximum seconds between the signature and this clock, in the past or future. */
    public const TOLERANCE = 300;

    /**
     * Returns the event of a request. Throws unless the request was signed with the secret.
     *
     * @param string $payload The unchanged body: `file_get_contents('php://input')`.
     * @param array<string, string|list<string>> $headers Headers by name, or `$_SERVER`.
     * @param string|list<string> $secret `whsec_…`, or both secrets during a rotation.
     * @param int|null $now Time in seconds that replaces the clock.
     * @return array{type: string, timestamp: string, data: array<string, mixed>}
     */
    public static function verify(
        string $payload,
        array $headers,
        #[\SensitiveParameter] string|array $secret,
        int $tolerance = self::TOLERANCE,
        ?int $now = null,
    ): array {
        [$id, $at, $given] = array_map(
            static fn (string $name): string => self::header($headers, $name),
            ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
        );
        if (preg_match('/^\d{1,12}$/D', $at) !== 1) {
            throw new WebhookVerificationException('The header webhook-timestamp is not a valid time.');
        }
        if (abs(($now ?? time()) - (int) $at) > $tolerance) {
            throw new WebhookVerificationException('The signature of the request is too old or in the future.');
        }
        foreach ((array) $secret as $one) {
            if (self::isSigned("{$id}.{$at}.{$payload}", $given, self::key($one))) {
                $event = json_decode($payload, true, 512, JSON_BIGINT_AS_STRING);
                return is_array($event) ? $event : throw new WebhookVerificationException('The body is not JSON.');
            }
        }
        throw new WebhookVerificationException('The request has no signature for this secret.');
    }

    /**
     * True if this version of the client knows the event type.
     *
     * @param array{type: string} $event
     */
    public static function isKnown(array $event): bool
    {
        return in_array($event['type'], KnownEvents::TYPES, true);
    }

    /** @param array<string, string|list<string>> $headers */
    private static function header(array $headers, string $name): string
    {
        $inServer = 'HTTP_' . strtoupper(str_replace('-', '_', $name));
        foreach ($headers as $given => $value) {
            if (strtolower((string) $given) === $name || $given === $inServer) {
                return is_array($value) ? implode(' ', $value) : $value;
            }
        }
        throw new WebhookVerificationException("The request does not have the header {$name}.");
    }

    private static function key(#[\SensitiveParameter] string $secret): string
    {
        $key = base64_decode((string) preg_replace('/^whsec_/', '', $secret), true);
        return is_string($key) && $key !== ''
            ? $key
            : throw new MillraceException('The webhook secret must be whsec_ followed by base64.');
    }

    private static function isSigned(string $signed, string $given, #[\SensitiveParameter] string $key): bool
    {
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
        foreach (explode(' ', $given) as $one) {
            if (hash_equals($expected, $one)) {
                return true;
            }
        }
        return false;
    }
}
