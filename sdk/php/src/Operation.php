<?php

declare(strict_types=1);

namespace Millrace;

/** An operation of the API. Names in braces in its path are parameters. */
final class Operation
{
    /** Verbs of requests that can be repeated safely. A PATCH of this API sets the fields that it contains. */
    private const IDEMPOTENT = ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'];

    /**
     * @param bool $keyed True if the operation accepts an idempotency key.
     * @param bool $repeatable True if the request can be repeated safely, regardless of its verb.
     * @param bool $open True if the operation needs no API key. Then no key is sent.
     */
    public function __construct(
        public readonly string $verb,
        public readonly string $path,
        public readonly bool $keyed = false,
        public readonly bool $repeatable = false,
        public readonly bool $open = false,
    ) {
    }

    public function isHarmless(): bool
    {
        return $this->keyed || $this->repeatable || in_array($this->verb, self::IDEMPOTENT, true);
    }
}
