from django.urls import path

from . import views

urlpatterns = [
    path("", views.home, name="home"),
    path("mail", views.mail, name="mail"),
    path("hooks", views.hooks),
    path("files", views.upload, name="upload"),
    path("files/<uuid:id>", views.show, name="file"),
    path("files/<uuid:id>/download", views.download, name="download"),
]
