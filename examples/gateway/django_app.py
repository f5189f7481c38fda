"""A view for Django that carries reports of people who are logged in: path("reports", django_app.reports) in urls.py"""

import os

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

import untold

gateway = untold.Gateway(os.environ["COLLECTOR"], os.environ["GATEWAY_TOKEN"])


@csrf_exempt
@require_POST
def reports(request: HttpRequest) -> JsonResponse:
    user = request.headers["x-user"]  # in the place of request.user and login_required
    try:
        carried = gateway.forward(request.body, user)
    except untold.BadRecord as error:
        return JsonResponse({"detail": str(error)}, status=400)
    except untold.CollectorError as error:
        return JsonResponse({"detail": str(error)}, status=503)  # the device keeps its report, and comes again
    return JsonResponse({"counted": carried.counted, "repeated": carried.repeated})
