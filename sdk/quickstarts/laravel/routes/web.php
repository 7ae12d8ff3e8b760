<?php

use App\Http\Controllers\ShopController;
use Illuminate\Support\Facades\Route;

Route::view('/', 'home');
Route::post('/mail', [ShopController::class, 'mail']);
Route::post('/files', [ShopController::class, 'upload']);
Route::get('/files/{id}', [ShopController::class, 'show'])->whereUuid('id');
Route::get('/files/{id}/download', [ShopController::class, 'download'])->whereUuid('id');
// Without session and CSRF token: the signature replaces them.
Route::post('/hooks', [ShopController::class, 'hooks'])->withoutMiddleware('web');
