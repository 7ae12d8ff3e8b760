<?php

return [
    'url' => env('MILLRACE_BASE_URL'),
    'key' => env('MILLRACE_API_KEY'),
    'webhook_secret' => env('WEBHOOK_SECRET'),
    'tenant' => 'demo', // in your product: the account of the signed-in user
];
