<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

use Millrace\Response;
use Millrace\Retries;

/** The API returned an error. */
class ApiException extends MillraceException
{
    private const KINDS = [
        400 => BadRequestException::class,
        401 => UnauthorizedException::class,
        403 => ForbiddenException::class,
        404 => NotFoundException::class,
        409 => ConflictException::class,
        429 => RateLimitedException::class,
    ];

    /**
     * @param string $errorCode Error code. Use it in code instead of the message. `Millrace\ErrorCode` has the known codes.
     * @param mixed $details Machine-readable details. For status 400: every invalid field.
     * @param string|null $requestId ID of the request in the request log.
     * @param int|null $retryAfter Seconds to wait before a retry.
     */
    final public function __construct(
        public readonly int $status,
        public readonly string $errorCode,
        string $message,
        public readonly mixed $details = null,
        public readonly ?string $requestId = null,
        public readonly ?int $retryAfter = null,
    ) {
        parent::__construct($message, $status);
    }

    /** Returns the exception for an error response. `$message` replaces its message. */
    public static function of(Response $response, ?string $message = null): self
    {
        $status = $response->status;
        $body = json_decode($response->body, true, 512, JSON_BIGINT_AS_STRING);
        $said = is_array($body) && is_array($body['error'] ?? null) ? $body['error'] : [];
        $text = static fn (string $name): ?string => is_string($said[$name] ?? null) ? $said[$name] : null;
        $kind = self::KINDS[$status] ?? ($status >= 500 ? ServerException::class : self::class);
        return new $kind(
            $status,
            $text('code') ?? ($status >= 500 ? 'server_error' : "http_{$status}"),
            $message ?? $text('message') ?? "The server returned {$status}.",
            $said['details'] ?? null,
            $text('request_id') ?? $response->header('x-request-id'),
            Retries::parseRetryAfter($response->header('retry-after')),
        );
    }
}
