<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** 5xx: the server failed. */
class ServerException extends ApiException
{
}
