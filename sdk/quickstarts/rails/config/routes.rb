Rails.application.routes.draw do
  root "shop#home"
  post "mail", to: "shop#mail"
  post "hooks", to: "hooks#receive"
  post "files", to: "shop#upload"
  get "files/:id", to: "shop#show", as: :file, constraints: { id: /[0-9a-f-]{36}/ }
  get "files/:id/download", to: "shop#download", as: :download, constraints: { id: /[0-9a-f-]{36}/ }
end
