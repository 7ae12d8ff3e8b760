<?php

declare(strict_types=1);

/** Loads the classes of the client without Composer: `require 'millrace/autoload.php';` */
spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Millrace\\')) {
        return;
    }
    $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, strlen('Millrace\\'))) . '.php';
    if (is_file($file)) {
        require $file;
    }
});
