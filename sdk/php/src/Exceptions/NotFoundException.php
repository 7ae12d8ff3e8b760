<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** 404: the object does not exist or belongs to another organisation. */
class NotFoundException extends ApiException
{
}
