<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** No complete response was received. */
class ConnectionException extends MillraceException
{
}
