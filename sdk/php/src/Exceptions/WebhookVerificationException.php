<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** The request is not signed with the secret, or its signature is too old. Do not trust its content. */
class WebhookVerificationException extends MillraceException
{
}
