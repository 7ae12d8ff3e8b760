<?php

declare(strict_types=1);

namespace Millrace;

use Millrace\Exceptions\ApiException;
use Millrace\Exceptions\ConnectionException;
use Millrace\Exceptions\MillraceException;

/** Rules of retries: which requests, and after how long. */
final class Retries
{
    private const FIRST_SECONDS = 0.5;
    private const MOST_SECONDS = 8.0;

    /** If `Retry-After` is longer, the client throws immediately. */
    private const LONGEST_WAIT = 60;

    /** False if the server may have executed the request and a repetition would have another effect. */
    public static function isRetryable(bool $harmless, MillraceException $failure): bool
    {
        if ($failure instanceof ApiException) {
            if (($failure->retryAfter ?? 0) > self::LONGEST_WAIT) {
                return false;
            }
            // The API returns these statuses before it executes a request.
            return in_array($failure->status, [429, 503], true) || ($failure->status >= 500 && $harmless);
        }
        // Code 1: the connection was never established, so no data was sent.
        return $failure instanceof ConnectionException && ($harmless || $failure->getCode() === 1);
    }

    /**
     * Returns the seconds before the next attempt: 50 to 100 % of a limit that doubles, or slightly more than
     * `Retry-After`. The randomness prevents rejected clients from retrying at the same time.
     */
    public static function delay(int $attempt, MillraceException $failure): float
    {
        $random = mt_rand() / mt_getrandmax();
        if ($failure instanceof ApiException && $failure->retryAfter !== null) {
            return $failure->retryAfter + $random * 0.25;
        }
        return min(self::MOST_SECONDS, self::FIRST_SECONDS * 2 ** ($attempt - 1)) * (0.5 + $random / 2);
    }

    /** Returns the seconds of a `Retry-After` header, which contains a number or a date (RFC 9110 §10.2.3). */
    public static function parseRetryAfter(?string $header): ?int
    {
        if ($header === null || $header === '') {
            return null;
        }
        if (preg_match('/^\d{1,9}$/', $header) === 1) {
            return (int) $header;
        }
        $at = strtotime($header);
        return $at === false ? null : max(0, $at - time());
    }
}
