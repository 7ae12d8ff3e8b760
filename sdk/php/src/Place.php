<?php

declare(strict_types=1);

namespace Millrace;

/** A part of the API. Its parts are created when they are first used. */
abstract class Place
{
    /** @var array<string, class-string<Place>> */
    protected const PLACES = [];

    /** @var array<string, Place> */
    private array $places = [];

    final public function __construct(protected readonly Transport $transport)
    {
    }

    public function __get(string $name): Place
    {
        $class = static::PLACES[$name] ?? throw new \LogicException(static::class . " has no part {$name}.");
        return $this->places[$name] ??= new $class($this->transport);
    }

    public function __isset(string $name): bool
    {
        return isset(static::PLACES[$name]);
    }
}
