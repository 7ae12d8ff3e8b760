<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** 429: too many requests. `retryAfter` is the time to wait in seconds. */
class RateLimitedException extends ApiException
{
}
