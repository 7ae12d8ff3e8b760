<?php

declare(strict_types=1);

namespace Millrace;

use Millrace\Exceptions\MillraceException;

/**
 * A list. Iterate over it to get the items of all pages. Requests are sent only then.
 *
 * @template-covariant Item
 * @implements \IteratorAggregate<int, Item>
 */
final class Listing implements \IteratorAggregate
{
    /** @param \Closure(?string): mixed $fetch */
    public function __construct(private readonly \Closure $fetch)
    {
    }

    /** @return Page<Item> */
    public function page(?string $cursor = null): Page
    {
        $body = ($this->fetch)($cursor);
        return new Page($body['data'], $body['next_cursor'] ?? null);
    }

    /** @return \Generator<int, Page<Item>> */
    public function pages(): \Generator
    {
        $cursor = null;
        do {
            $page = $this->page($cursor);
            if ($cursor !== null && $cursor === $page->nextCursor) {
                throw new MillraceException('The server returned the same page again. Read the list again from its start.');
            }
            yield $page;
            $cursor = $page->nextCursor;
        } while ($cursor !== null && $cursor !== '');
    }

    /** @return \Generator<int, Item> */
    public function getIterator(): \Generator
    {
        $n = 0;
        foreach ($this->pages() as $page) {
            foreach ($page->data as $item) {
                yield $n++ => $item;
            }
        }
    }
}
