<?php

declare(strict_types=1);

namespace Millrace;

use Millrace\Exceptions\MillraceException;

/** Reads server-sent events (HTML standard §9.2.6). */
final class EventParser
{
    /** Millrace sends no larger events. */
    private const LONGEST_EVENT = 4 * 1024 * 1024;

    private string $rest = '';

    /**
     * Returns the fields of each complete event.
     *
     * @return \Generator<int, array<string, string>>
     */
    public function read(string $text): \Generator
    {
        $all = $this->rest . $text;
        // If the data ends with a carriage return, the line feed can arrive with the next data.
        $held = str_ends_with($all, "\r") ? "\r" : '';
        $lines = str_replace(["\r\n", "\r"], "\n", substr($all, 0, strlen($all) - strlen($held)));
        $blocks = explode("\n\n", $lines);
        $this->rest = array_pop($blocks) . $held;
        if (strlen($this->rest) > self::LONGEST_EVENT) {
            throw new MillraceException('The stream contains an event without an end.');
        }
        foreach ($blocks as $block) {
            yield self::fields($block);
        }
    }

    /** @return array<string, string> */
    private static function fields(string $block): array
    {
        $fields = [];
        foreach (explode("\n", $block) as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $value = str_starts_with($value, ' ') ? substr($value, 1) : $value;
            $fields[$name] = $name === 'data' && isset($fields['data']) ? "{$fields['data']}\n{$value}" : $value;
        }
        return $fields;
    }
}
