<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** No response was received in time. */
class TimeoutException extends ConnectionException
{
}
