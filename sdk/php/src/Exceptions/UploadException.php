<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** Storage did not accept the bytes. Pass `uploadId` as `resume` to continue. */
class UploadException extends MillraceException
{
    public function __construct(public readonly string $uploadId, \Throwable $cause)
    {
        parent::__construct("The upload {$uploadId} was interrupted: {$cause->getMessage()}", 0, $cause);
    }
}
