<?php

declare(strict_types=1);

namespace Millrace;

/** A response of the API: its status, headers and body. */
final class Response
{
    /** @param array<string, string> $headers Names are in lower case. */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
        public readonly float $seconds = 0.0,
    ) {
    }

    public function header(string $name): ?string
    {
        return $this->headers[strtolower($name)] ?? null;
    }

    /** Returns the ID of the request in the request log. */
    public function requestId(): ?string
    {
        return $this->header('x-request-id');
    }
}
