<?php

declare(strict_types=1);

namespace Millrace;

/**
 * One page of a list.
 *
 * @template-covariant Item
 */
final class Page
{
    /**
     * @param list<Item> $data
     * @param string|null $nextCursor Cursor of the next page. Null on the last page.
     */
    public function __construct(public readonly array $data, public readonly ?string $nextCursor)
    {
    }
}
