{{- define "ferrule.name" -}}
{{ .Values.nameOverride | default .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "ferrule.selector" -}}
app.kubernetes.io/name: ferrule
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ferrule.labels" -}}
{{ include "ferrule.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "ferrule.secretName" -}}
{{ .Values.secret.existingSecret | default (include "ferrule.name" .) }}
{{- end }}

{{- define "ferrule.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "ferrule.name" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end }}

{{- define "ferrule.image" -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end }}

{{- /* The secret's content: in the secret of the release, and in the one that lives as long as the migrations. */ -}}
{{- define "ferrule.secretData" -}}
DATABASE_URL: {{ required "secret.databaseUrl or secret.existingSecret is needed" .Values.secret.databaseUrl | quote }}
FERRULE_MASTER_KEY: {{ required "secret.masterKey or secret.existingSecret is needed: openssl rand -base64 32" .Values.secret.masterKey | quote }}
{{- if .Values.secret.contextDatabaseUrl }}
CONTEXT_DATABASE_URL: {{ .Values.secret.contextDatabaseUrl | quote }}
{{- end }}
{{- if .Values.secret.contextReadUrls }}
CONTEXT_READ_URLS: {{ .Values.secret.contextReadUrls | quote }}
{{- end }}
{{- if .Values.secret.previousMasterKeys }}
FERRULE_MASTER_KEY_PREVIOUS: {{ .Values.secret.previousMasterKeys | quote }}
{{- end }}
{{- if .Values.secret.operatorClientId }}
FERRULE_OPERATOR_CLIENT_ID: {{ .Values.secret.operatorClientId | quote }}
FERRULE_OPERATOR_CLIENT_SECRET: {{ required "secret.operatorClientSecret is needed with secret.operatorClientId" .Values.secret.operatorClientSecret | quote }}
{{- end }}
{{- end }}

{{- define "ferrule.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "ferrule.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end }}

{{- define "ferrule.mounts" -}}
- name: data
  mountPath: /data
- name: temporary
  mountPath: /tmp
{{- end }}

{{- define "ferrule.volumes" -}}
- name: data
  emptyDir: {}
- name: temporary
  emptyDir: {}
{{- end }}
