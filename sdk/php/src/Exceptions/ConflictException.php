<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** 409: the request conflicts with the current state. */
class ConflictException extends ApiException
{
}
