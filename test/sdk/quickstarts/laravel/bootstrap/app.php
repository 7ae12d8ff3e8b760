<?php

// The files of a new Laravel 8 project that the quick start needs, with Debian's packages in place of vendor/.
require_once '/usr/share/php/Illuminate/autoload.php';
require_once '/usr/share/php/GuzzleHttp/autoload.php';

spl_autoload_register(function (string $class): void {
    $file = dirname(__DIR__) . '/app/' . str_replace('\\', '/', substr($class, strlen('App\\'))) . '.php';
    if (str_starts_with($class, 'App\\') && is_file($file)) require $file;
});

$app = new Illuminate\Foundation\Application(dirname(__DIR__));
foreach (['framework/views', 'framework/sessions', 'framework/cache', 'logs'] as $folder) {
    if (!is_dir($app->storagePath() . "/$folder")) mkdir($app->storagePath() . "/$folder", 0700, true);
}
$app->singleton(Illuminate\Contracts\Http\Kernel::class, App\Http\Kernel::class);
$app->singleton(Illuminate\Contracts\Console\Kernel::class, Illuminate\Foundation\Console\Kernel::class);
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, Illuminate\Foundation\Exceptions\Handler::class);

return $app;
