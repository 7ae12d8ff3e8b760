<?php

declare(strict_types=1);

namespace Millrace\Exceptions;

/** 400: the request is invalid. `details` contains every invalid field. */
class BadRequestException extends ApiException
{
    /**
     * Returns the names of the invalid fields, for example `body.title`.
     *
     * @return list<string>
     */
    public function fields(): array
    {
        $fields = [];
        foreach (is_array($this->details) ? $this->details : [] as $issue) {
            if (is_array($issue) && is_string($issue['field'] ?? null)) {
                $fields[] = $issue['field'];
            }
        }
        return $fields;
    }
}
