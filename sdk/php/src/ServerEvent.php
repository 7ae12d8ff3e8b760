<?php

declare(strict_types=1);

namespace Millrace;

/** An event of a stream. */
final class ServerEvent
{
    /** @param mixed $data Decoded JSON, or text that is not JSON. */
    public function __construct(
        public readonly string $event,
        public readonly ?string $id,
        public readonly mixed $data,
    ) {
    }
}
