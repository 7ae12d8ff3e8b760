<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** Base class of all exceptions of this package. */
class MillraceException extends \RuntimeException
{
}
