/**
 * Content of an email without a template, in Liquid. It is the block `content` of the product’s layout. `paragraphs`
 * has the lines of each paragraph of the body.
 */
export const brandContent = `{% block content %}<h1 style="margin:0 0 16px;font-size:22px;line-height:28px">{{ title }}</h1>
{% for lines in paragraphs %}<p style="margin:0 0 16px">{% for line in lines %}{{ line }}{% unless forloop.last %}<br>{% endunless %}{% endfor %}</p>
{% endfor %}{% if url != "" %}<p style="margin:24px 0"><a href="{{ url }}" style="background:{{ brand.color }};color:{{ brand.text_color }};padding:12px 20px;border-radius:6px;text-decoration:none;display:inline-block">{{ url_text }}</a></p>
{% endif %}{% endblock %}`

/** The built-in layout. It fits any width and has no fixed colours for text, so that dark mode works. */
export const builtInLayout = `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>{{ title }}</title></head>
<body style="margin:0;padding:0;font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:24px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="border-top:4px solid {{ brand.color }}"><tr><td align="center" style="padding:24px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;table-layout:fixed"><tr><td style="padding-bottom:24px;text-align:left">{% if brand.logo_url != "" %}<img src="{{ brand.logo_url }}" alt="{{ brand.name }}" height="40" style="height:40px;max-width:100%;border:0">{% else %}<strong style="font-size:18px">{{ brand.name }}</strong>{% endif %}</td></tr>
<tr><td style="text-align:left;overflow-wrap:break-word;word-break:break-word">
{% block content %}{% endblock %}</td></tr>
{% if brand.footer_lines.size > 0 %}<tr><td style="padding-top:24px;font-size:13px;line-height:20px;opacity:0.7;text-align:left">{% for line in brand.footer_lines %}{{ line }}{% unless forloop.last %}<br>{% endunless %}{% endfor %}</td></tr>{% endif %}
</table></td></tr></table></body></html>`
