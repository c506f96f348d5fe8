{{- /*
The settings by the name of their ConfigMap: those of settings.yaml, with the values in their place. Only the role remains
of an address of the database.
*/ -}}
{{- define "pressroom.settings" -}}
{{- $all := .Files.Get "settings.yaml" | fromYaml -}}
{{- $known := .Files.Get "settings.txt" | splitList "\n" -}}
{{- $readHost := eq .Values.database.host "pressroom-postgres-rw" | ternary "pressroom-postgres-ro" "" -}}
{{- if hasKey .Values.database "readHost" }}{{ $readHost = .Values.database.readHost }}{{ end -}}
{{- range $name, $own := $all -}}
  {{- range $key, $host := dict "DATABASE_URL" $.Values.database.host "DATABASE_READ_URL" $readHost -}}
    {{- if hasKey $own $key -}}
      {{- $role := regexFind "postgres://\\w+@" (get $own $key) -}}
      {{- with $.Values.database -}}
        {{- $address := printf "%s%s:%v/%s%s" $role $host .port .name (.options | empty | ternary "" (printf "?%s" .options)) -}}
        {{- $_ := set $own $key (empty $host | ternary "" $address) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
  {{- if eq $name "pressroom" -}}
    {{- with $.Values.redis.url }}{{ $_ := set $own "REDIS_URL" . }}{{ end -}}
  {{- end -}}
  {{- range $key, $value := index $.Values.settings $name -}}
    {{- /* A misspelt setting would be ignored; other software in the image reads the rest. */ -}}
    {{- if not (or (has $key $known) (regexMatch "^(ALL|AWS|HTTPS?|LANG|LC|LD|MALLOC|NO|NODE|OTEL|PG[A-Z]*|SSL|TZ|UV)(_|$)" $key)) -}}
      {{- fail (printf "settings.%s.%s is not a setting: docs/configuration.md lists them" $name $key) -}}
    {{- end -}}
    {{- /* A number of a file is a float, which from a million on is written with an exponent. */ -}}
    {{- $isWhole := and (kindIs "float64" $value) (eq $value (floor $value)) -}}
    {{- $_ := set $own $key ($isWhole | ternary (printf "%.0f" $value) (toString $value)) -}}
  {{- end -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}

{{- /* Where an image of base/ is, `pressroom` or `pressroom-backup`. Takes `root` and `image`. */ -}}
{{- define "pressroom.image" -}}
{{- with .root -}}
{{ .Values.image.repository }}{{ trimPrefix "pressroom" $.image }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- /* The labels of every object. */ -}}
{{- define "pressroom.labels" -}}
app.kubernetes.io/part-of: pressroom
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}
