<?php

namespace App\Http\Controllers;

use App\Millrace;
use Illuminate\Http\Client\RequestException;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Log;
use Illuminate\Support\Facades\Mail;

class ShopController
{
    public function mail(Request $request)
    {
        ['email' => $to] = $request->validate(['email' => 'required|email']);
        Mail::raw('Your order is on its way.', fn ($message) => $message->to($to)->subject('Your order'));
        return response("The message to $to was accepted.")->header('Content-Type', 'text/plain');
    }

    public function upload(Request $request)
    {
        ['file' => $file] = $request->validate(['file' => 'required|file']);
        try {
            return redirect('/files/' . Millrace::upload($file)['object_id']);
        } catch (RequestException $error) {
            return back()->withErrors($error->response->json('error.message') ?? 'Try again.');
        }
    }

    public function show(string $id)
    {
        $tenant = config('millrace.tenant');
        return view('file', ['file' => Millrace::call('GET', "/v1/files/objects/$id?tenant_id=$tenant")]);
    }

    public function download(string $id)
    {
        try {
            $fields = ['tenant_id' => config('millrace.tenant')];
            return redirect(Millrace::call('POST', "/v1/files/objects/$id/download-url", $fields)['download_url']);
        } catch (RequestException $error) {
            return $error->response->status() === 409 ? redirect("/files/$id") : throw $error; // 409: not clean
        }
    }

    public function hooks(Request $request)
    {
        $event = Millrace::verify($request) ?? abort(400);
        Log::info("event {$event['type']} {$request->header('webhook-id')}");
        return response()->noContent();
    }
}
