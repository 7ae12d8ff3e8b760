<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** 403: the key does not have the permission. */
class ForbiddenException extends ApiException
{
}
