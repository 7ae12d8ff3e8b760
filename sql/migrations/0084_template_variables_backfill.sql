-- Apart from 0083, so that the lock that adding a column takes is held for a moment only.
update email.templates set variables = email.placeholders(subject, html, text) where variables is null;
update push.templates set variables = push.placeholders(locales) where variables is null;
