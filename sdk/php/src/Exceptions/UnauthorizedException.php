<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** 401: the API key is missing, unknown or revoked. */
class UnauthorizedException extends ApiException
{
}
